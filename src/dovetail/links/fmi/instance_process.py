"""Process of one FMU: loads its library and answers the requests of `model.Slave`, one JSON table a line.

The library of an FMU is native code. It can end its process or never return; here it takes only this process with it.
When the other side closes the pipe, or ends in any way, this process removes the unpacked files and ends.
Arguments: file of the FMU, folder for its files.
"""

import json
import os
import queue
import shutil
import sys
import threading


class Instance:
    """Instance of an FMU, 2.0 or 3.0."""

    def __init__(self, file, folder):
        import fmpy
        from fmpy import fmi2, fmi3

        description = fmpy.read_model_description(file)
        if description.coSimulation is None:
            raise ValueError("contains no co-simulation; export it for co-simulation")
        fmpy.extract(file, unzipdir=folder)
        self.references = {v.name: v.valueReference for v in description.modelVariables}
        self.three = description.fmiVersion.startswith("3")
        self.fmu = (fmi3.FMU3Slave if self.three else fmi2.FMU2Slave)(
            guid=description.guid,
            unzipDirectory=folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName=description.modelName,
        )
        self.fmu.instantiate()

    def variables(self):
        """Return the reference of each variable, by name."""
        return self.references

    def begin(self, start, again):
        """Reset to the start values at time zero."""
        if again:
            self.fmu.terminate()
            self.fmu.reset()
        for name, value in start:
            self.write([name], [value])
        if not self.three:
            self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def read(self, names):
        """Return values by name."""
        numbers = [self.references[name] for name in names]
        return list(self.fmu.getFloat64(numbers) if self.three else self.fmu.getReal(numbers))

    def write(self, names, values):
        """Set values by name."""
        if names:
            numbers = [self.references[name] for name in names]
            (self.fmu.setFloat64 if self.three else self.fmu.setReal)(numbers, values)

    def step(self, t, h, names, values):
        """Make a step with these inputs."""
        self.write(names, values)
        if h > 0:
            self.fmu.doStep(currentCommunicationPoint=t, communicationStepSize=h)

    def close(self):
        """End the instance and its processes."""
        self.fmu.freeInstance()


def read_requests(requests, folder):
    """Pass on the requests; end this process when the other side is gone, also while the library does not return."""
    for line in sys.stdin:
        requests.put(json.loads(line))
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def main():
    """Answer requests until the other side closes the pipe; what the library prints goes to the standard error."""
    file, folder = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    requests, instance = queue.SimpleQueue(), None
    threading.Thread(target=read_requests, args=(requests, folder), daemon=True).start()
    while True:
        request = requests.get()
        try:
            if instance is None:
                instance = Instance(file, folder)
            answer = {"result": getattr(instance, request["call"])(*request["arguments"])}
        except Exception as error:  # of various types, none specific to FMPy
            answer = {"error": str(error)[:500] or type(error).__name__}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()

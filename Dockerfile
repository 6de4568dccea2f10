# Dovetail without a set-up: `make wheel && docker build -t dovetail .`, then
#   docker run --rm -v "$PWD/runs:/home/tester/runs" dovetail demo
#   docker run --rm -p 8080:8080 dovetail view substructuring/cs1 --host 0.0.0.0
# Real time wants more of its host than a container gives: see "Prepare a real-time host" in the documentation.
FROM python:3.11-slim AS build
COPY requirements.txt /tmp/
COPY dist/*.whl /tmp/
RUN python -m venv /opt/dovetail \
 && /opt/dovetail/bin/pip install --no-cache-dir -r /tmp/requirements.txt \
 && /opt/dovetail/bin/pip install --no-cache-dir "$(ls /tmp/*.whl)[view]"

FROM python:3.11-slim
COPY --from=build /opt/dovetail /opt/dovetail
RUN useradd --create-home tester
USER tester
WORKDIR /home/tester
ENV PATH=/opt/dovetail/bin:$PATH
EXPOSE 8080
ENTRYPOINT ["dovetail"]
CMD ["demo"]

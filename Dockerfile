# Dovetail without a set-up: `make wheel && docker build -t dovetail .`, then
#   docker run --rm -v "$PWD/runs:/srv/tester/runs" dovetail demo
#   docker run --rm -p 8080:8080 dovetail view substructuring/cs1 --host 0.0.0.0
#   docker run --rm --network host -v "$PWD/runs:/srv/tester/runs" dovetail studio --no-browser
# The studio listens on loopback alone, and so shares the host's network.
# Real time wants more of its host than a container gives: see "Prepare a real-time host" in the documentation.
FROM python:3.11-slim AS build
COPY requirements.txt /srv/
COPY dist/*.whl /srv/
RUN python -m venv /srv/dovetail \
 && /srv/dovetail/bin/pip install --no-cache-dir -r /srv/requirements.txt \
 && /srv/dovetail/bin/pip uninstall --yes imageio-ffmpeg \
 && /srv/dovetail/bin/pip install --no-cache-dir "$(ls /srv/*.whl)[view,studio]"

FROM python:3.11-slim
# ffmpeg of Debian, whose sources Debian offers
RUN apt-get update && apt-get install --yes --no-install-recommends ffmpeg && rm -rf /var/lib/apt/lists/*
COPY --from=build /srv/dovetail /srv/dovetail
RUN useradd --create-home --home-dir /srv/tester tester
USER tester
WORKDIR /srv/tester
ENV PATH=/srv/dovetail/bin:$PATH
EXPOSE 8080
ENTRYPOINT ["dovetail"]
CMD ["demo"]

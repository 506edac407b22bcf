# The image cursor-cli workers run in. Built by `multiverse images build cursor-cli`.
# Cursor publishes its CLI only through its own installer, which has no version to pin; this file was never built by us.
ARG BASE_IMAGE=node:22-bookworm-slim

FROM ${BASE_IMAGE} AS install
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates curl \
    && rm -rf /var/lib/apt/lists/*
ENV HOME=/opt/cursor
RUN curl -fsSL https://cursor.com/install | bash

FROM ${BASE_IMAGE}
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates git ripgrep procps \
    && rm -rf /var/lib/apt/lists/*
COPY --from=install /opt/cursor /opt/cursor
ENV PATH=/opt/cursor/.local/bin:$PATH

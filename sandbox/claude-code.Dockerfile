# The image claude-code workers run in. Built by `multiverse images build claude-code`.
ARG BASE_IMAGE=node:22-bookworm-slim

FROM ${BASE_IMAGE} AS install
ARG CLAUDE_VERSION=2.1.325
# Its install script puts the native program in place, so scripts are on here.
RUN npm install --global --no-audit --no-fund --prefix /opt/cli "@anthropic-ai/claude-code@${CLAUDE_VERSION}" \
    && npm cache clean --force

FROM ${BASE_IMAGE}
RUN if ! command -v git >/dev/null || ! command -v rg >/dev/null; then \
      apt-get update \
      && apt-get install -y --no-install-recommends ca-certificates git ripgrep procps \
      && rm -rf /var/lib/apt/lists/*; \
    fi
COPY --from=install /opt/cli /opt/cli
ENV PATH=/opt/cli/bin:$PATH

# The image gemini-cli workers run in. Built by `multiverse images build gemini-cli`.
ARG BASE_IMAGE=node:22-bookworm-slim

FROM ${BASE_IMAGE} AS install
ARG GEMINI_VERSION=0.61.0
RUN npm install --global --no-audit --no-fund --ignore-scripts --prefix /opt/cli "@google/gemini-cli@${GEMINI_VERSION}" \
    && npm cache clean --force

FROM ${BASE_IMAGE}
RUN if ! command -v git >/dev/null || ! command -v rg >/dev/null; then \
      apt-get update \
      && apt-get install -y --no-install-recommends ca-certificates git ripgrep procps \
      && rm -rf /var/lib/apt/lists/*; \
    fi
COPY --from=install /opt/cli /opt/cli
ENV PATH=/opt/cli/bin:$PATH
# No retries and no telemetry of its own, also with a person's login and settings.
RUN mkdir -p /etc/gemini-cli \
    && echo '{"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"maxAttempts":1,"enableAutoUpdate":false,"enableAutoUpdateNotification":false}}' \
      > /etc/gemini-cli/settings.json

import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { SHIPPED_TOOLING } from "@multiverse/agents/tooling/profiles";
import { ConnectionTest } from "@multiverse/protocol/http/responses";
import { LlmSettings, Settings } from "@multiverse/protocol/settings";
import { Tooling } from "@multiverse/protocol/tooling";
import { MetaKindName } from "@multiverse/protocol/worker-kind";
import { agentSlots } from "../capacity.ts";
import { body, json, refused, type Parts } from "./parts.ts";

/** Without a kind, what is in use is tested; with one, these settings are, before anybody saves them. */
const LlmTestBody = LlmSettings.extend({ kind: MetaKindName.optional() }).strict();

export function llmRoutes(app: OpenAPIHono, { settings, tools }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/settings/llm",
      summary: "Which meta-agent plans",
      responses: { 200: json(LlmSettings), ...refused },
    }),
    async (c) => c.json((await settings.llm.read()) ?? (await tools.llm()), 200),
  );
  app.openapi(
    createRoute({
      method: "put",
      path: "/settings/llm",
      summary: "Choose the meta-agent; keys stay in the environment",
      request: { body: body(LlmSettings.strict()) },
      responses: { 200: json(LlmSettings), ...refused },
    }),
    async (c) => {
      const llm = c.req.valid("json");
      await settings.llm.write(llm);
      return c.json(llm, 200);
    },
  );
  app.openapi(
    createRoute({
      method: "post",
      path: "/settings/llm/test",
      summary:
        "Ask a meta-agent something and see whether it answers: the one sent, or the one in use",
      request: { body: { ...body(LlmTestBody), required: false } },
      responses: { 200: json(ConnectionTest), ...refused },
    }),
    async (c) => {
      const sent = c.req.valid("json");
      const llm = sent.kind === undefined ? await tools.llm() : { ...sent, kind: sent.kind };
      return c.json(await tools.testLlm(llm, c.req.raw.signal), 200);
    },
  );
}

export function toolingRoutes(app: OpenAPIHono, { settings, workspaces }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/settings/tooling",
      summary: "Which tool and model does what",
      responses: { 200: json(Tooling), ...refused },
    }),
    async (c) => c.json((await settings.tooling.read()) ?? SHIPPED_TOOLING, 200),
  );
  app.openapi(
    createRoute({
      method: "put",
      path: "/settings/tooling",
      summary: "Set which tool and model does what",
      request: { body: body(Tooling.strict()) },
      responses: { 200: json(Tooling), ...refused },
    }),
    async (c) => {
      const tooling = c.req.valid("json");
      await settings.tooling.write(tooling);
      for (const { workspace } of workspaces.opened()) {
        if (workspace.damage) continue;
        await workspace.commit(() => [{ kind: "tooling.changed", payload: { tooling } }], {
          by: "person",
        });
      }
      return c.json(tooling, 200);
    },
  );
}

export function generalRoutes(app: OpenAPIHono, { settings, workspaces }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/settings/general",
      summary: "How much runs at once, what is kept, what workers may reach",
      responses: { 200: json(Settings), ...refused },
    }),
    async (c) => c.json((await settings.general.read()) ?? Settings.parse({}), 200),
  );
  app.openapi(
    createRoute({
      method: "put",
      path: "/settings/general",
      summary: "Set these; what is left out gets its default. It holds for what starts from now on",
      request: { body: body(Settings.strict()) },
      responses: { 200: json(Settings), ...refused },
    }),
    async (c) => {
      const general = c.req.valid("json");
      await settings.general.write(general);
      for (const { workspace, orchestrator, capacity } of workspaces.opened()) {
        workspace.setAgents(agentSlots(capacity));
        orchestrator.settingsChanged();
      }
      return c.json(general, 200);
    },
  );
}

import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { ChatLine } from "@multiverse/protocol/entity-files";
import { SendMessageBody } from "@multiverse/protocol/http/requests";
import {
  ChatMessages,
  ChatSessionList,
  ChatSessionView,
  MessageAccepted,
} from "@multiverse/protocol/http/responses";
import { Id } from "@multiverse/protocol/id";
import type { ChatSession } from "@multiverse/protocol/state";
import { z } from "zod";
import { readSmall } from "../files/read-beneath.ts";
import type { OpenWorkspace } from "../workspaces.ts";
import { parseJson } from "../json-text.ts";
import { body, json, refused, WsParams, type Parts } from "./parts.ts";

const SessionParams = z.object({ ws: Id, sid: Id });

const viewSession = ({ id, createdAt, updatedAt, messageCount }: ChatSession): ChatSessionView => ({
  id,
  createdAt,
  updatedAt,
  messageCount,
});
type ChatSessionView = z.output<typeof ChatSessionView>;

export function chatRoutes(app: OpenAPIHono, { workspaces, clock, newId }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/chat",
      summary: "Chat sessions, the newest first",
      request: { params: WsParams },
      responses: { 200: json(ChatSessionList), ...refused },
    }),
    async (c) => {
      const { state } = (await workspaces.get(c.req.valid("param").ws)).workspace;
      const sessions = [...state.sessions.values()].map(viewSession);
      return c.json({ sessions: sessions.sort(byAge) }, 200);
    },
  );
  app.openapi(
    createRoute({
      method: "post",
      path: "/workspaces/{ws}/chat",
      summary: "A new chat session; it is kept from its first message on",
      request: { params: WsParams },
      responses: { 201: json(ChatSessionView), ...refused },
    }),
    async (c) => {
      await workspaces.get(c.req.valid("param").ws);
      const at = clock.now().toISOString();
      const session = { id: newId("chat"), createdAt: at, updatedAt: at, messageCount: 0 };
      return c.json(session, 201);
    },
  );
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/chat/{sid}/messages",
      summary: "The whole conversation",
      request: { params: SessionParams },
      responses: { 200: json(ChatMessages), ...refused },
    }),
    async (c) => {
      const { ws, sid } = c.req.valid("param");
      return c.json({ messages: await conversation(await workspaces.get(ws), sid) }, 200);
    },
  );
  app.openapi(
    createRoute({
      method: "post",
      path: "/workspaces/{ws}/chat/{sid}/messages",
      summary: "Say something; the answer follows as a fact",
      request: { params: SessionParams, body: body(SendMessageBody) },
      responses: { 202: json(MessageAccepted, "Kept."), ...refused },
    }),
    async (c) => {
      const { ws, sid } = c.req.valid("param");
      const { text, clientId } = c.req.valid("json");
      const { orchestrator } = await workspaces.get(ws);
      return c.json(await orchestrator.sendMessage(sid, text, clientId), 202);
    },
  );
}

const byAge = (a: ChatSessionView, b: ChatSessionView): number =>
  b.updatedAt.localeCompare(a.updatedAt);

/** The state keeps the end of a conversation; what came before it is in the session's file. */
async function conversation({ workspace }: OpenWorkspace, sid: string): Promise<ChatLine[]> {
  const session = workspace.state.sessions.get(sid);
  if (!session) return [];
  const recent = session.messages.map((message) => ({
    ...message,
    generatedTasks: [...message.generatedTasks],
    questions: [...message.questions],
  }));
  if (session.messageCount <= recent.length) return recent;
  const text = (await readSmall(workspace.dir, `chat/${sid}.jsonl`)) ?? "";
  const held = new Set(recent.map(({ id }) => id));
  const older = text.split("\n").flatMap((line) => {
    const parsed = ChatLine.safeParse(line === "" ? null : parseJson(line));
    return parsed.success && !held.has(parsed.data.id) ? [parsed.data] : [];
  });
  return [...older, ...recent];
}

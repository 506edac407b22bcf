import type { Logger } from "@multiverse/agents/log";
import type { Clock, NewId } from "@multiverse/protocol/clock";
import { ErrorBody } from "@multiverse/protocol/error";
import type { DoctorReport } from "@multiverse/protocol/http/responses";
import { Id } from "@multiverse/protocol/id";
import { z } from "zod";
import type { Credentials } from "../guard/credentials.ts";
import type { LoginCodes } from "../guard/login-codes.ts";
import type { WrongTries } from "../guard/wrong-tries.ts";
import type { Metrics } from "../metrics.ts";
import type { SettingsFiles } from "../settings.ts";
import type { Tools } from "../tools.ts";
import type { Tracing } from "../tracing.ts";
import type { Workspaces } from "../workspaces.ts";

/** What the routes are made of. */
export interface Parts {
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Logger;
  readonly workspaces: Workspaces;
  readonly settings: SettingsFiles;
  readonly tools: Tools;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly credentials: Credentials;
  readonly codes: LoginCodes;
  readonly wrongTries: WrongTries;
  readonly secureCookie: boolean;
  /** Where people reach this server, without a slash at the end. */
  readonly url: string;
  readonly webRoot: string;
  /** The PATH that programs on this machine are found in. */
  readonly path: string;
  readonly doctor: () => Promise<DoctorReport>;
  /** Writes a fresh token to server.json and lets the old one and every cookie go. */
  readonly rotateToken: () => Promise<void>;
}

/** A body or an answer in JSON, as routes declare it. */
export const json = <S extends z.ZodType>(schema: S, description = "Done.") => ({
  content: { "application/json": { schema } },
  description,
});

export const body = <S extends z.ZodType>(schema: S) => ({
  content: { "application/json": { schema } },
  required: true,
});

/** What every route may answer besides its result. */
export const refused = { default: json(ErrorBody, "Refused, with a code and what to do.") };

export const WsParams = z.object({ ws: Id });
export const TaskParams = z.object({ ws: Id, id: Id });

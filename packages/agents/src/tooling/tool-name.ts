import { workerKind, type MetaKind } from "@multiverse/protocol/worker-kind";

/** The tool a name stands for; undefined if nobody knows it. */
export const metaKind = (name: string): MetaKind | undefined =>
  name === "openai-chat" ? name : workerKind(name);

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { toCamel } from "@multiverse/protocol/case";
import { Id } from "@multiverse/protocol/id";
import { JobFile, type JobFile as Job } from "@multiverse/protocol/job-file";
import { LIMITS } from "@multiverse/protocol/limits";
import { systemCode } from "@multiverse/protocol/system-code";

export type ReadJob = { readonly job: Job & { id: string } } | { readonly problem: string };

/**
 * A job file as it was found: other programs write these, so nothing about it is believed. A link is not followed and a
 * FIFO cannot make us wait.
 */
export async function readJob(path: string): Promise<ReadJob> {
  const text = await readSmallFile(path);
  if (typeof text !== "string") return text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "it is not JSON" };
  }
  const parsed = JobFile.safeParse(value);
  if (!parsed.success) {
    return {
      problem: parsed.error.issues
        .map((issue) => `${issue.path.join(".")}: ${issue.message}`)
        .join("; "),
    };
  }
  const id = Id.safeParse(parsed.data.id ?? basename(path, ".json"));
  if (!id.success) return { problem: "it has no id, and its name is not one either" };
  return { job: { ...toCamel(parsed.data), id: id.data } };
}

async function readSmallFile(path: string): Promise<string | { problem: string }> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let file;
  try {
    file = await open(path, flags);
  } catch (error) {
    const code = systemCode(error);
    return { problem: code === "ELOOP" ? "it is a link" : `it cannot be opened (${code})` };
  }
  try {
    const info = await file.stat();
    if (!info.isFile()) return { problem: "it is not a regular file" };
    if (info.nlink !== 1) return { problem: "it has a second name (hard link)" };
    if (info.size === 0) return { problem: "it is empty" };
    if (info.size > LIMITS.jobFileBytes)
      return { problem: `it is larger than ${LIMITS.jobFileBytes} bytes` };
    const buffer = Buffer.alloc(info.size);
    const { bytesRead } = await file.read(buffer, 0, info.size, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

import type { TaskStatus } from "@multiverse/protocol/task";
import { t } from "../../i18n/i18n.svelte.ts";
import { STATUS } from "../../ui/status.ts";

const isStatus = (value: string): value is TaskStatus => Object.hasOwn(STATUS, value);

/** A group's or facet value's name for people: statuses in words, nothing as "none". */
export function groupName(value: string): string {
  if (value === "") return t("facet.none");
  return isStatus(value) ? t(STATUS[value].word) : value;
}

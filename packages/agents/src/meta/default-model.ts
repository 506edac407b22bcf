/** Who plans when nobody named a model, for the API and for Codex CLI. A file of its own: a dry run loads nothing else. */
export const DEFAULT_META_MODEL = "gpt-5.2";

/** Messages that steer execution, understood without a model. */
export type Control = "stop" | "pause" | "resume" | "status" | "undo";

const WORDS: Readonly<Record<Control, readonly string[]>> = {
  stop: [
    "止めて",
    "とめて",
    "止めろ",
    "停止",
    "停止して",
    "ストップ",
    "中止",
    "中止して",
    "stop",
    "stop it",
    "halt",
  ],
  pause: [
    "一旦止めて",
    "いったん止めて",
    "一旦停止",
    "一時停止",
    "一時停止して",
    "ポーズ",
    "pause",
  ],
  resume: [
    "続けて",
    "つづけて",
    "続行",
    "続行して",
    "再開",
    "再開して",
    "resume",
    "continue",
    "go on",
    "carry on",
  ],
  status: [
    "状況",
    "状況は",
    "状況教えて",
    "状況を教えて",
    "ステータス",
    "進捗",
    "進捗は",
    "status",
    "state",
    "progress",
    "how is it going",
  ],
  undo: [
    "undo",
    "undo it",
    "undo that",
    "undo last change",
    "undo the last change",
    "元に戻して",
    "もとに戻して",
    "取り消して",
    "取り消し",
    "直前の変更を取り消して",
    "直前の変更を元に戻して",
    "最後の変更を取り消して",
    "最後の変更を元に戻して",
  ],
};

/** What people add out of politeness; it changes nothing. */
const POLITE =
  /(ください|下さい|お願いします|お願い|おねがいします|おねがい|ね|よ|です|please|now|thanks|thank you)$/;
const POLITE_START = /^(please|ok|okay|はい|じゃあ|では)\s+/;
const PUNCTUATION = /[\s。、．，.,!?！？…〜~ー♪"'「」]+$/;

const MEANING = new Map(
  Object.entries(WORDS).flatMap(([control, words]) =>
    words.map((word) => [word, control as Control] as const),
  ),
);

/** The whole message must be a control word: "stop using jQuery" is work, not a command. */
export function readControl(text: string): Control | undefined {
  let rest = text
    .normalize("NFKC")
    .trim()
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(POLITE_START, "");
  for (;;) {
    const known = MEANING.get(rest);
    if (known) return known;
    const shorter = rest.replace(PUNCTUATION, "").replace(POLITE, "").trim();
    if (shorter === rest || shorter === "") return undefined;
    rest = shorter;
  }
}

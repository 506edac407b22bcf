export type Language = "en" | "ja";

/** Answers come in the language of the message: kana or kanji make it Japanese. */
export const languageOf = (text: string): Language =>
  /[\u3040-\u30ff\u3400-\u9fff]/.test(text) ? "ja" : "en";

import "../src/zod-without-eval.ts";
import { mount } from "svelte";
import "../src/ui/tokens.css";
import "../src/ui/base.css";
import { words } from "../src/i18n/i18n.svelte.ts";
import StoryPage from "./StoryPage.svelte";

const params = new URLSearchParams(location.search);
words.language = params.get("lang") === "ja" ? "ja" : "en";
document.documentElement.lang = words.language;
document.documentElement.dataset["theme"] = params.get("theme") === "light" ? "light" : "dark";
const target = document.getElementById("app");
if (target) mount(StoryPage, { target, props: { only: params.get("story") } });

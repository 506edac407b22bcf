/** The list, and the file it is kept in: the first version of the store forgets to load, and its test says so. */
export const TODO_STORE_SCRIPT = String.raw`
version: 1
tasks:
  - match: '^(Build the todo list|TODO リストの処理を作る)$'
    delay_ms: 700
    goal:
      en: Write src/todo.mjs as docs/design.md describes it, and test/todo.test.mjs with tests for every function.
      ja: docs/design.md に従って src/todo.mjs を書き、すべての関数のテストを test/todo.test.mjs に書く。
    constraints: [{ en: Pure functions only; no dependencies., ja: 純粋な関数だけにし、依存パッケージは使わない。 }]
    acceptance_criteria:
      - description: { en: "The list's own tests pass", ja: リストのテストが通る }
        type: test
        check: node --test test/todo.test.mjs
      - description: { en: The functions do no input or output, ja: 関数は入出力を行わない }
        type: quality
        check: "! grep -q import src/todo.mjs"
    runs:
      - delay_ms: 450
        say: [{ en: 'Reading docs/design.md, then writing the list and its tests.', ja: docs/design.md を読んで、リストとテストを書きます。 }]
        files:
          src/todo.mjs: |
            /** A list of todos is a plain array; every function gives back a new one and changes nothing. */

            const LONGEST_TITLE = 200;

            export function addTodo(todos, title, now = new Date()) {
              const text = typeof title === "string" ? title.trim() : "";
              if (text === "") throw new RangeError("a todo needs a title");
              if (text.length > LONGEST_TITLE) throw new RangeError("a title has at most 200 characters");
              const id = todos.reduce((highest, todo) => Math.max(highest, todo.id), 0) + 1;
              return [...todos, { id, title: text, done: false, createdAt: now.toISOString() }];
            }

            export function setDone(todos, id, done) {
              return todos.map((todo) => (todo.id === id ? { ...todo, done } : todo));
            }

            export function removeTodo(todos, id) {
              return todos.filter((todo) => todo.id !== id);
            }

            export function clearDone(todos) {
              return todos.filter((todo) => !todo.done);
            }

            export function filterTodos(todos, filter) {
              if (filter === "open") return todos.filter((todo) => !todo.done);
              if (filter === "done") return todos.filter((todo) => todo.done);
              return todos;
            }
          test/todo.test.mjs: |
            import assert from "node:assert/strict";
            import test from "node:test";
            import { addTodo, clearDone, filterTodos, removeTodo, setDone } from "../src/todo.mjs";

            const noon = new Date("2026-01-02T12:00:00Z");
            const three = ["milk", "bread", "tea"].reduce((todos, title) => addTodo(todos, title, noon), []);

            test("a new todo is open and has a number of its own", () => {
              assert.deepEqual(three.map(({ id, title, done }) => [id, title, done]), [
                [1, "milk", false],
                [2, "bread", false],
                [3, "tea", false],
              ]);
            });

            test("a title is trimmed and must not be empty or endless", () => {
              assert.equal(addTodo([], "  milk ")[0].title, "milk");
              for (const bad of ["", "   ", undefined, "x".repeat(201)]) assert.throws(() => addTodo([], bad), RangeError);
            });

            test("ticking off and removing touch one todo only and change nothing in place", () => {
              const before = structuredClone(three);
              assert.deepEqual(setDone(three, 2, true).map(({ done }) => done), [false, true, false]);
              assert.deepEqual(removeTodo(three, 2).map(({ id }) => id), [1, 3]);
              assert.deepEqual(three, before);
            });

            test("finished todos can be filtered and cleared", () => {
              const some = setDone(three, 1, true);
              assert.deepEqual(filterTodos(some, "open").map(({ id }) => id), [2, 3]);
              assert.deepEqual(filterTodos(some, "done").map(({ id }) => id), [1]);
              assert.equal(filterTodos(some, "all").length, 3);
              assert.deepEqual(clearDone(some).map(({ id }) => id), [2, 3]);
            });

            test("a number is not used again while a higher one exists", () => {
              assert.equal(addTodo(removeTodo(three, 1), "jam").at(-1).id, 4);
            });
        commands: [node --test test/todo.test.mjs]
        summary: { en: 'Wrote the list with five tests; all pass.', ja: リストと五つのテストを書き、すべて通りました。 }

  - match: '^(Keep the list in a file|リストをファイルに保存する)$'
    delay_ms: 700
    goal:
      en: Write src/store.mjs, which loads the list from its file when it is opened and saves every change atomically, and test/store.test.mjs.
      ja: 開くときにファイルからリストを読み込み、変更のたびに安全に保存する src/store.mjs と、test/store.test.mjs を書く。
    constraints: [{ en: A crash leaves the old list or the new one., ja: 途中で落ちても、古いリストか新しいリストのどちらかが残ること。 }]
    acceptance_criteria:
      - description: { en: What was saved is there after reopening, ja: 保存した内容が開き直しても残っている }
        type: test
        check: node --test test/store.test.mjs
      - description: { en: The file is replaced as a whole, ja: ファイルは丸ごと置き換えられる }
        type: quality
        check: grep -q renameSync src/store.mjs
    runs:
      - delay_ms: 450
        say: [{ en: Writing the store and its tests., ja: 保存の処理とテストを書きます。 }]
        files:
          src/store.mjs: |
            import { mkdirSync, renameSync, writeFileSync } from "node:fs";
            import { dirname } from "node:path";

            /** The list in a file. */
            export function openStore(path) {
              let todos = [];
              return {
                todos: () => todos,
                change(edit) {
                  const next = edit(todos);
                  mkdirSync(dirname(path), { recursive: true });
                  writeFileSync(path + ".new", JSON.stringify({ todos: next }, null, 2));
                  renameSync(path + ".new", path);
                  todos = next;
                },
              };
            }
          test/store.test.mjs: |
            import assert from "node:assert/strict";
            import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
            import { tmpdir } from "node:os";
            import { join } from "node:path";
            import { after, test } from "node:test";
            import { openStore } from "../src/store.mjs";
            import { addTodo } from "../src/todo.mjs";

            const folder = mkdtempSync(join(tmpdir(), "todo-"));
            after(() => rmSync(folder, { recursive: true }));
            let files = 0;
            const freshFile = () => join(folder, String((files += 1)), "data", "todos.json");

            test("a store without a file starts empty", () => {
              assert.deepEqual(openStore(freshFile()).todos(), []);
            });

            test("what was saved is there after reopening", () => {
              const file = freshFile();
              const store = openStore(file);
              store.change((todos) => addTodo(todos, "milk"));
              store.change((todos) => addTodo(todos, "bread"));
              assert.deepEqual(openStore(file).todos().map(({ title }) => title), ["milk", "bread"]);
            });

            test("a change that fails leaves list and file as they were", () => {
              const file = freshFile();
              const store = openStore(file);
              store.change((todos) => addTodo(todos, "milk"));
              assert.throws(() => store.change((todos) => addTodo(todos, "")));
              assert.equal(store.todos().length, 1);
              assert.equal(openStore(file).todos().length, 1);
            });

            test("a damaged file is an error, not an empty list", () => {
              const file = freshFile();
              openStore(file).change((todos) => addTodo(todos, "milk"));
              writeFileSync(file, "{ broken");
              assert.throws(() => openStore(file), SyntaxError);
            });
        summary: { en: Wrote the store and its tests., ja: 保存の処理とテストを書きました。 }
      - delay_ms: 450
        think:
          - en: 'The test says that a reopened store is empty: it writes the file but never reads it. It has to load when it is opened.'
            ja: 開き直すと空になるとテストが言っている。書き込むだけで読み込んでいない。開くときに読み込む必要がある。
        say: [{ en: 'Found it: the store never loads its file. Fixing that and running the tests.', ja: 原因がわかりました。ファイルを読み込んでいません。直してテストを実行します。 }]
        files:
          src/store.mjs: |
            import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
            import { dirname } from "node:path";

            /** The list in a file: loaded when it is opened, replaced as a whole with every change. */
            export function openStore(path) {
              let todos = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).todos : [];
              return {
                todos: () => todos,
                change(edit) {
                  const next = edit(todos);
                  mkdirSync(dirname(path), { recursive: true });
                  writeFileSync(path + ".new", JSON.stringify({ todos: next }, null, 2));
                  renameSync(path + ".new", path);
                  todos = next;
                },
              };
            }
        commands: [node --test test/store.test.mjs]
        summary: { en: 'The store now loads its file when it is opened; all four tests pass.', ja: 開くときにファイルを読み込むようにしました。四つのテストがすべて通ります。 }
`;

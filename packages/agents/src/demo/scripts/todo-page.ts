/** The page. While it is planned, the scripted model is over its limit for a moment. */
export const TODO_PAGE_SCRIPT = String.raw`
version: 1
tasks:
  - match: '^(Make the web page|Web 画面を作る)$'
    delay_ms: 700
    faults: [{ call: plan_task, kind: rate_limit, after_sec: 4 }]
    goal:
      en: Write the page in public/ as docs/design.md describes it; it must also work when opened as a file.
      ja: docs/design.md に従って public/ に画面を作る。ファイルとして開いても動くこと。
    constraints: [{ en: No external assets; usable with the keyboard; light and dark., ja: 外部の素材は使わない。キーボードで操作でき、ライトとダークの両方に対応する。 }]
    acceptance_criteria:
      - description: { en: The page has a form and a list and loads its script and style, ja: 画面にフォームとリストがあり、スクリプトとスタイルを読み込む }
        type: file
        check: grep -q '<form' public/index.html && grep -q 'app.js' public/index.html && grep -q 'style.css' public/index.html
      - description: { en: The script is valid JavaScript, ja: スクリプトが正しい JavaScript である }
        type: test
        check: node --check public/app.js
      - description: { en: Nothing is loaded from elsewhere, ja: 外部から何も読み込まない }
        type: quality
        check: "! grep -rqE 'https?://' public"
    runs:
      - delay_ms: 450
        say: [{ en: 'One page, one style sheet, one script.', ja: 画面、スタイル、スクリプトを一つずつ作ります。 }]
        files:
          public/index.html:
            en: |
              <!doctype html>
              <html lang="en">
                <head>
                  <meta charset="utf-8" />
                  <meta name="viewport" content="width=device-width, initial-scale=1" />
                  <title>Todo</title>
                  <link rel="icon" href="data:," />
                  <link rel="stylesheet" href="style.css" />
                  <script src="app.js" defer></script>
                </head>
                <body>
                  <main>
                    <header>
                      <h1>Todo</h1>
                      <p id="left" role="status" data-one="1 thing left" data-many="# things left" data-none="Nothing left. Well done."></p>
                    </header>
                    <form id="new">
                      <input id="title" name="title" maxlength="200" placeholder="What needs to be done?" aria-label="New todo" autocomplete="off" autofocus />
                      <button>Add</button>
                    </form>
                    <nav aria-label="Filter">
                      <button data-filter="all" aria-pressed="true">All</button>
                      <button data-filter="open" aria-pressed="false">Open</button>
                      <button data-filter="done" aria-pressed="false">Done</button>
                    </nav>
                    <ul id="list" data-remove="Remove"></ul>
                  </main>
                </body>
              </html>
            ja: |
              <!doctype html>
              <html lang="ja">
                <head>
                  <meta charset="utf-8" />
                  <meta name="viewport" content="width=device-width, initial-scale=1" />
                  <title>やること</title>
                  <link rel="icon" href="data:," />
                  <link rel="stylesheet" href="style.css" />
                  <script src="app.js" defer></script>
                </head>
                <body>
                  <main>
                    <header>
                      <h1>やること</h1>
                      <p id="left" role="status" data-one="残り 1 件" data-many="残り # 件" data-none="すべて終わりました。"></p>
                    </header>
                    <form id="new">
                      <input id="title" name="title" maxlength="200" placeholder="何をしますか?" aria-label="新しい TODO" autocomplete="off" autofocus />
                      <button>追加</button>
                    </form>
                    <nav aria-label="絞り込み">
                      <button data-filter="all" aria-pressed="true">すべて</button>
                      <button data-filter="open" aria-pressed="false">未完了</button>
                      <button data-filter="done" aria-pressed="false">完了</button>
                    </nav>
                    <ul id="list" data-remove="削除"></ul>
                  </main>
                </body>
              </html>
          public/style.css: |
            :root {
              color-scheme: light dark;
              --ground: light-dark(#eceff4, #20242d);
              --card: light-dark(#ffffff, #2e3440);
              --line: light-dark(#d8dee9, #434c5e);
              --text: light-dark(#2e3440, #eceff4);
              --quiet: light-dark(#5c6577, #a6b0c3);
              --accent: light-dark(#3d6a96, #88c0d0);
              --on-accent: light-dark(#ffffff, #20242d);
            }
            * { box-sizing: border-box; margin: 0; }
            body {
              min-height: 100vh;
              padding: clamp(1rem, 6vw, 4rem) 1rem;
              font: 1rem/1.5 system-ui, sans-serif;
              color: var(--text);
              background: radial-gradient(60rem 30rem at 50% -10rem, color-mix(in srgb, var(--accent) 30%, transparent), transparent), var(--ground);
            }
            main {
              max-width: 34rem;
              margin: 0 auto;
              padding: 1.75rem;
              border: 1px solid var(--line);
              border-radius: 1.25rem;
              background: var(--card);
              box-shadow: 0 1.5rem 3rem rgb(0 0 0 / 18%);
            }
            header { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; }
            h1 { font-size: 1.75rem; letter-spacing: -0.02em; }
            #left { color: var(--quiet); font-size: 0.9rem; }
            form { display: flex; gap: 0.5rem; margin: 1.25rem 0 1rem; }
            input[name="title"] {
              flex: 1;
              min-width: 0;
              padding: 0.7rem 1rem;
              font: inherit;
              color: inherit;
              border: 1px solid var(--line);
              border-radius: 0.75rem;
              background: transparent;
            }
            button {
              padding: 0.55rem 1rem;
              font: inherit;
              color: var(--quiet);
              border: 0;
              border-radius: 0.75rem;
              background: transparent;
              cursor: pointer;
            }
            form button, nav button[aria-pressed="true"] { color: var(--on-accent); background: var(--accent); }
            :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
            nav { display: flex; gap: 0.25rem; padding-bottom: 0.75rem; border-bottom: 1px solid var(--line); }
            nav button { padding: 0.3rem 0.9rem; font-size: 0.9rem; }
            ul { padding: 0; list-style: none; }
            li { display: flex; align-items: center; gap: 0.75rem; padding: 0.6rem 0.25rem; border-bottom: 1px solid var(--line); animation: appear 0.2s ease-out; }
            li:last-child { border-bottom: 0; }
            li label { display: flex; flex: 1; gap: 0.75rem; min-width: 0; overflow-wrap: anywhere; cursor: pointer; }
            li input { width: 1.15rem; height: 1.15rem; margin-top: 0.2rem; flex: none; accent-color: var(--accent); }
            li.done span { color: var(--quiet); text-decoration: line-through; }
            @keyframes appear { from { opacity: 0; transform: translateY(-0.3rem); } }
            @media (prefers-reduced-motion: reduce) { li { animation: none; } }
          public/app.js: |
            const list = document.querySelector("#list");
            const left = document.querySelector("#left");
            const form = document.querySelector("#new");
            const filters = [...document.querySelectorAll("[data-filter]")];

            /** The server's list; opened as a file there is no server, and the browser keeps the list. */
            const todos = location.protocol === "file:" ? localTodos() : serverTodos();
            let all = [];
            let filter = "all";

            function serverTodos() {
              async function request(method, path = "", body) {
                const response = await fetch("/api/todos" + path, {
                  method,
                  headers: { "content-type": "application/json" },
                  body: body && JSON.stringify(body),
                });
                if (!response.ok) throw new Error((await response.json()).error);
                return response.status === 204 ? null : response.json();
              }
              return {
                load: () => request("GET"),
                add: (title) => request("POST", "", { title }),
                setDone: (id, done) => request("PATCH", "/" + id, { done }),
                remove: (id) => request("DELETE", "/" + id),
              };
            }

            function localTodos() {
              const read = () => JSON.parse(localStorage.getItem("todos") ?? "[]");
              const write = (next) => localStorage.setItem("todos", JSON.stringify(next));
              return {
                load: async () => read(),
                add: async (title) => write([...read(), { id: Date.now(), title, done: false }]),
                setDone: async (id, done) => write(read().map((todo) => (todo.id === id ? { ...todo, done } : todo))),
                remove: async (id) => write(read().filter((todo) => todo.id !== id)),
              };
            }

            async function change(work) {
              try {
                await work;
                all = await todos.load();
              } catch (error) {
                left.textContent = error.message;
                return;
              }
              show();
            }

            function show() {
              const shown = all.filter((todo) => filter === "all" || todo.done === (filter === "done"));
              list.replaceChildren(...shown.map(row));
              const open = all.filter((todo) => !todo.done).length;
              const text = open === 0 ? left.dataset.none : open === 1 ? left.dataset.one : left.dataset.many;
              left.textContent = all.length === 0 ? "" : text.replace("#", open);
            }

            function row(todo) {
              const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: todo.done });
              box.addEventListener("change", () => change(todos.setDone(todo.id, box.checked)));
              const title = Object.assign(document.createElement("span"), { textContent: todo.title });
              const label = document.createElement("label");
              label.append(box, title);
              const remove = Object.assign(document.createElement("button"), { textContent: "✕" });
              remove.setAttribute("aria-label", list.dataset.remove + ": " + todo.title);
              remove.addEventListener("click", () => change(todos.remove(todo.id)));
              const item = Object.assign(document.createElement("li"), { className: todo.done ? "done" : "" });
              item.append(label, remove);
              return item;
            }

            form.addEventListener("submit", (event) => {
              event.preventDefault();
              const title = form.title.value.trim();
              if (title === "") return;
              form.reset();
              change(todos.add(title));
            });

            for (const button of filters)
              button.addEventListener("click", () => {
                filter = button.dataset.filter;
                for (const each of filters) each.setAttribute("aria-pressed", String(each === button));
                show();
              });

            change();
        commands: [node --check public/app.js]
        summary: { en: 'Made the page: add, tick off, filter, remove; light and dark.', ja: 画面を作りました。追加、完了、絞り込み、削除ができ、ライトとダークに対応しています。 }
`;

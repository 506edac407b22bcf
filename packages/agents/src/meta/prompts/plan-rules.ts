/** What makes a plan that agents can carry out in parallel; shared by the two calls that plan. */
export const PLAN_RULES = `What makes a good task:
- Small: one agent finishes it in about half an hour. "small" is a file or two, "medium" a handful, "large" is a reason to split it.
- Independent: everything it needs is in its own description or made by the tasks it depends on. The agent that does it sees only this task, not the conversation.
- Checkable: two to five acceptance criteria, each an observable result, wherever possible with the command that proves it, for example: "All unit tests of the store pass (check: \`npm test -- store\`)". Give "test" a command that can run right after this task, once the task is expected to have one.
- Concrete: the description says what to build, the interface to its neighbours (names, formats, routes) and what is out of scope. Tasks that meet at an interface must state it in the same words.
- Placed: "suggested_impl.file_paths" lists the files it creates or changes, relative to the project. Two tasks that write the same file must depend on each other; if that cannot be avoided, name them in "potential_conflicts".

How tasks hang together:
- A dependency is there only if one task really needs the result of another. Everything else runs in parallel: prefer a wide plan to a long chain. No cycles.
- The order is decided by dependencies, never by the position in the list.
- Use few phases and milestones, the same words throughout. wbs_level: 1 concept, 2 design, 3 implementation.
- Include the tests with the code they test, and one last task that checks the whole from the outside (it builds, starts, does what was asked for) and says in a README how to use it.
- Plan only what was asked for and what it cannot do without. Do not add deployment, CI, monitoring, user accounts or internationalisation unless asked. Prefer what the project already uses; in an empty project choose the simplest tools that need the least installation.`;

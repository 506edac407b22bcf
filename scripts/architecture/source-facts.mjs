import { builtinModules } from "node:module";
import ts from "typescript";

/**
 * @typedef {object} Import
 * @property {string} from the module's name as written, Node's own always with `node:`
 * @property {boolean} typeOnly gone when the program runs
 *
 * @typedef {object} SourceFacts what a file imports and which globals it uses
 * @property {Import[]} imports static, dynamic, re-exported, and in types
 * @property {Set<string>} globals names and dotted names, as `fetch` and `process.env`
 */

/**
 * Reads a TypeScript or Svelte source with the compiler's own parser.
 * @param {string} path
 * @param {string} text
 * @returns {SourceFacts}
 */
export function sourceFacts(path, text) {
  const code = path.endsWith(".svelte") ? scriptsOf(text) : text;
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  /** @type {SourceFacts} */
  const facts = { imports: [], globals: new Set() };
  visit(file, facts);
  return facts;
}

/**
 * The script blocks of a Svelte component; its template cannot import.
 * @param {string} text
 */
function scriptsOf(text) {
  return [...text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)]
    .map((match) => match[1])
    .join("\n");
}

/**
 * @param {ts.Node} node
 * @param {SourceFacts} facts
 */
function visit(node, facts) {
  const found = importOf(node);
  if (found !== undefined) facts.imports.push(found);
  const name = globalName(node);
  if (name !== undefined) facts.globals.add(name);
  ts.forEachChild(node, (child) => visit(child, facts));
}

/**
 * @param {ts.Node} node
 * @returns {Import | undefined}
 */
function importOf(node) {
  if (ts.isImportDeclaration(node)) {
    // With verbatimModuleSyntax only `import type` disappears; `import { type X }` still loads the module.
    return named(
      node.moduleSpecifier,
      node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword,
    );
  }
  if (ts.isExportDeclaration(node)) return named(node.moduleSpecifier, node.isTypeOnly);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return named(node.argument.literal, true);
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return named(node.arguments[0], false);
  }
  return undefined;
}

/**
 * @param {ts.Node | undefined} specifier
 * @param {boolean} typeOnly
 * @returns {Import | undefined}
 */
function named(specifier, typeOnly) {
  if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return undefined;
  const { text } = specifier;
  return { from: builtinModules.includes(text) ? `node:${text}` : text, typeOnly };
}

/**
 * The global a piece of code names: `process.env`, `globalThis.fetch` (as `fetch`), `Buffer`.
 * @param {ts.Node} node
 * @returns {string | undefined}
 */
function globalName(node) {
  if (ts.isPropertyAccessExpression(node)) return joined(node.expression, node.name.text);
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
    return joined(node.expression, node.argumentExpression.text);
  }
  return ts.isIdentifier(node) && isFreeName(node) ? node.text : undefined;
}

/**
 * @param {ts.Expression} object
 * @param {string} property
 */
function joined(object, property) {
  const left = globalName(object);
  if (left === undefined) return undefined;
  return left === "globalThis" || left === "window" ? property : `${left}.${property}`;
}

/**
 * Whether an identifier stands for a value in scope, and is not the name of a property, parameter or declaration.
 * @param {ts.Identifier} node
 */
function isFreeName(node) {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isExpression(parent) || ts.isStatement(parent)) return true;
  if (
    ts.isVariableDeclaration(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isParameter(parent)
  ) {
    return parent.initializer === node;
  }
  return (
    ts.isShorthandPropertyAssignment(parent) ||
    ts.isTemplateSpan(parent) ||
    ts.isSpreadAssignment(parent)
  );
}

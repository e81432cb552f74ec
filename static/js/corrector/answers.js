/** Answers to a project's questions: which are asked, which are missing, and what two tabs make of one another. */

/**
 * @typedef {string|string[]|number} Value
 * @typedef {Record<string, Value>} Answers
 * @typedef {{id: number, key: string, kind: "single"|"multiple"|"scale"|"text", label: string, help: string,
 *   options: {value: string, label: string}[], min: number|null, max: number|null, min_label: string, max_label: string,
 *   required: boolean, condition: {question: string, equals: any}|null, hotkey: string|null}} Question
 */

/** @param {Value|undefined|null} value */
export function empty(value) {
  return value === undefined || value === null || (Array.isArray(value) && !value.length) || (typeof value === "string" && !value.trim());
}

/** @param {Question[]} questions @param {Answers} answers @returns {Question[]} those whose condition holds */
export function asked(questions, answers) {
  const byKey = new Map(questions.map((question) => [question.key, question]));
  /** @param {Question} question @param {string[]} above @returns {boolean} */
  const holds = (question, above) => {
    if (!question.condition) return true;
    const other = byKey.get(question.condition.question);
    if (!other || above.includes(other.key)) return false;
    const wanted = [question.condition.equals].flat();
    const chosen = [answers[other.key]].flat();
    return chosen.some((value) => wanted.includes(value)) && holds(other, [...above, question.key]);
  };
  return questions.filter((question) => holds(question, []));
}

/** @param {Question[]} questions @param {Answers} answers @returns {Question[]} asked, required and without an answer */
export function missing(questions, answers) {
  return asked(questions, answers).filter((question) => question.required && empty(answers[question.key]));
}

/** What is handed in. @param {Question[]} questions @param {Answers} answers @returns {Answers} */
export function handedIn(questions, answers) {
  return Object.fromEntries(asked(questions, answers).filter(({ key }) => !empty(answers[key])).map(({ key }) => [key, answers[key]]));
}

/** The values that a digit chooses among. @param {Question} question @returns {(string|number)[]} */
export function choices(question) {
  if (question.kind !== "scale") return question.options.map((option) => option.value);
  const low = question.min ?? 1;
  return Array.from({ length: Math.max(0, (question.max ?? 5) - low + 1) }, (_, i) => low + i);
}

/** The digit in front of a choice: a scale's own number where it is one, else the place; 0 is the tenth. @param {Question} question
 * @param {number} at @returns {string} "" where no digit is left */
export function digitFor(question, at) {
  const all = choices(question);
  if (question.kind === "scale" && all.every((value) => Number(value) >= 0 && Number(value) <= 9)) return String(all[at]);
  return at < 9 ? String(at + 1) : at === 9 ? "0" : "";
}

/** @param {Value|undefined} a @param {Value|undefined} b */
function alike(a, b) {
  if (empty(a) || empty(b)) return empty(a) && empty(b);
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((value) => b.includes(value));
  return a === b;
}

/** @param {Answers} a @param {Answers} b */
export function same(a, b) {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => alike(a[key], b[key]));
}

/** Join what two tabs did since both had `base`: what only one of them changed is taken, what both changed differently is a
 * conflict, in which `mine` stands until a person chose. @param {Answers} base @param {Answers} mine @param {Answers} theirs
 * @returns {{merged: Answers, conflicts: string[]}} */
export function merge(base, mine, theirs) {
  /** @type {Answers} */
  const merged = {};
  const conflicts = [];
  for (const key of new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)])) {
    const untouched = alike(mine[key], base[key]);
    const value = untouched ? theirs[key] : mine[key];
    if (!empty(value)) merged[key] = value;
    if (!untouched && !alike(theirs[key], base[key]) && !alike(mine[key], theirs[key])) conflicts.push(key);
  }
  return { merged, conflicts };
}

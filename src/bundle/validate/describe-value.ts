import { isJsonList, isJsonObject, type JsonValue } from "#base";

const longest = 60;
const mostWords = 12;

/** A value for a message, shortened if it is long. */
export function describeValue(value: JsonValue): string {
  if (isJsonList(value)) return value.length === 0 ? "an empty list" : "a list";
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? "an empty object" : "an object";
  const text = JSON.stringify(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

/** "a, b or c", shortened if there are many. */
export function listWords(words: readonly string[]): string {
  if (words.length === 0) return "nothing";
  if (words.length > mostWords) return `${words.slice(0, mostWords).join(", ")} and ${words.length - mostWords} others`;
  const [last, ...others] = words.toReversed();
  return others.length === 0 ? (last ?? "") : `${others.toReversed().join(", ")} or ${last}`;
}

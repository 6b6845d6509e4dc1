import { expect, test } from "vitest";
import { ChangeFeed } from "./change-feed.ts";

const change = (name: string) => ({ list: "plugs" as const, key: `shop/${name}` });
const names = (found: ReturnType<ChangeFeed["since"]>) => found?.map(({ change: { key } }) => key);

test("who comes back gets what was missed, in order", () => {
  const feed = new ChangeFeed();
  feed.push(change("a"));
  const { id } = feed;
  feed.push(change("b"));
  feed.push(change("c"));
  expect(names(feed.since(id))).toEqual(["shop/b", "shop/c"]);
  expect(names(feed.since(feed.id))).toEqual([]);
});

test.each(["", "x", "-1", "abcdefgh-1", `${"9".repeat(40)}-1`])("the id %j of another feed is not known", (id) => {
  const feed = new ChangeFeed();
  feed.push(change("a"));
  expect(feed.since(id)).toBeUndefined();
});

test("who missed more than is kept has to read everything again", () => {
  const feed = new ChangeFeed();
  const { id } = feed;
  for (let index = 0; index < 1_000; index += 1) feed.push(change(String(index)));
  expect(feed.since(id)).toHaveLength(1_000);
  feed.push(change("one more"));
  expect(feed.since(id)).toBeUndefined();
});

test("a number that was not given out yet is not known", () => {
  const feed = new ChangeFeed();
  const [epoch] = feed.id.split("-");
  expect(feed.since(`${epoch}-5`)).toBeUndefined();
});

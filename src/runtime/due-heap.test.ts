import { expect, it } from "vitest";
import { fc } from "#seeded";
import { type DueEntry, DueHeap } from "./due-heap.ts";

it("gives out the item that is due first, and of items due together the one added or moved first", () => {
  const step = fc.record({
    verb: fc.constantFrom("add", "add", "add", "remove", "advance"),
    nth: fc.nat(50),
    due: fc.nat(20),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const heap = new DueHeap<number>();
      let expected: DueEntry<number>[] = [];
      for (const [item, { verb, nth, due }] of steps.entries()) {
        const chosen = expected[nth % expected.length];
        if (verb === "add" || !chosen) {
          expected.push(heap.add(item, due));
        } else if (verb === "remove") {
          heap.remove(chosen);
          expected = expected.filter((each) => each !== chosen);
        } else if (due < chosen.due) {
          heap.advance(chosen, due);
          expected = [...expected.filter((each) => each !== chosen), chosen];
        }
      }
      const order: number[] = [];
      for (let first = heap.first; first; first = heap.first) {
        order.push(first.item);
        heap.remove(first);
      }
      expect(order).toEqual(expected.toSorted((one, other) => one.due - other.due).map(({ item }) => item));
      expect(heap.size).toBe(0);
    }),
  );
});

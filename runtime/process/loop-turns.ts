/**
 * Work whose time grows with the size of a text takes turns: one piece of it starts in each turn of the event loop.
 * Requests that arrive together would otherwise be handled one after the other before anything else, such as a small
 * request or a timer, comes to its turn.
 */
let isTaken = false;
let waiting: (() => void)[] = [];
let first = 0;

/** Resolves when work may start; null means at once. */
export function takeTurn(): Promise<void> | null {
  if (!isTaken) {
    isTaken = true;
    setImmediate(nextTurn);
    return null;
  }
  return new Promise((resolve) => waiting.push(resolve));
}

function nextTurn(): void {
  const start = waiting[first];
  if (start === undefined) {
    waiting = [];
    first = 0;
    isTaken = false;
    return;
  }
  first += 1;
  setImmediate(nextTurn);
  start();
}

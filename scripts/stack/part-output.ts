/**
 * What the parts write, each line under the name of its part. Until `open` the lines are held back, the last of each
 * part only, so that a start that goes well shows nothing but its address; `open` or `flush` decides what becomes of them.
 */
export function createPartOutput({ verbose }: { verbose: boolean }) {
  let live = verbose;
  const held: string[] = [];
  return {
    write(name: string, line: string) {
      const text = `${name} | ${line}`;
      if (live) return console.log(text);
      held.push(text);
      if (held.length > HELD_MAX) held.shift();
    },
    /** Shows what comes from now on and drops what was held back. */
    open() {
      live = true;
      held.length = 0;
    },
    /** Shows what was held back, since something went wrong. */
    flush() {
      live = true;
      for (const text of held.splice(0)) console.log(text);
    },
  };
}

const HELD_MAX = 60;

/**
 * Prints the output of the parts, each line after the name of its part. Until `open` or `flush` the lines are held
 * back, the last HELD_MAX only, so that a successful start shows nothing but its address.
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
    /** Shows lines from now on, and drops those that were held back. */
    open() {
      live = true;
      held.length = 0;
    },
    /** Shows the lines that were held back, because something went wrong. */
    flush() {
      live = true;
      for (const text of held.splice(0)) console.log(text);
    },
  };
}

const HELD_MAX = 60;

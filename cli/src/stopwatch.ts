const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  console.error(`stopwatch needs Node.js 22.12 or later, and this is ${process.version}.`);
  process.exit(1);
}
// Loaded here, since an older Node.js could not load it.
const { main } = await import("./main.ts");
await main(process.argv.slice(2));

export {};

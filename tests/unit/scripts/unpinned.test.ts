import { expect, test } from "vitest";
import { findUnpinned, nameAt } from "#scripts/lockfile/unpinned.ts";

const integrity = `sha512-${"A".repeat(86)}==`;

test("every archive needs its SHA-512, except what is inside another archive or in the repository itself", () => {
  const { withoutIntegrity } = findUnpinned({
    "": { version: "1.0.0" },
    sdk: { version: "1.0.0" },
    "node_modules/sdk": { link: true, resolved: "sdk" },
    "node_modules/pinned": { version: "1.0.0", integrity },
    "node_modules/pinned/node_modules/bundled": { version: "1.0.0", inBundle: true },
    "node_modules/none": { version: "1.0.0" },
    "node_modules/other-platform": { version: "1.0.0", optional: true, os: ["darwin"] },
    "node_modules/weak": { version: "1.0.0", integrity: "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00=" },
    "node_modules/empty": { version: "1.0.0", integrity: "" },
  });
  expect(withoutIntegrity).toEqual(["none", "other-platform", "weak", "empty"].map((name) => `node_modules/${name}`));
});

test("no archive may come from an address that the lock file names", () => {
  const { withAddress } = findUnpinned({
    "node_modules/sdk": { link: true, resolved: "sdk" },
    "node_modules/plain": { version: "1.0.0", integrity },
    "node_modules/mirror": { version: "1.0.0", integrity, resolved: "https://mirror.example/mirror-1.0.0.tgz" },
    "node_modules/git": { version: "1.0.0", integrity, resolved: "git+ssh://git@example.com/git.git#0123456" },
  });
  expect(withAddress).toEqual(["node_modules/mirror", "node_modules/git"]);
});

test("a package that is installed under another name is asked for by its own", () => {
  expect(nameAt("node_modules/a/node_modules/@scope/b", {})).toBe("@scope/b");
  expect(nameAt("node_modules/alias", { name: "real" })).toBe("real");
});

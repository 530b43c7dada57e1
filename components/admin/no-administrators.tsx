import { TextLink } from "../ui/text-link.tsx";

/** How the person who runs an installation that has no administrators yet becomes one. A sentence, not a paragraph. */
export function NoAdministrators() {
  return (
    <>
      This installation has no administrators yet. If you run it, set <code>ADMIN_EMAILS</code> to your address and
      restart it: <TextLink href="/docs/self-hosting#administrators">Self-hosting</TextLink>.
    </>
  );
}

import { TextLink } from "../ui/text-link.tsx";

/** Tells the operator of an installation without administrators how to become one. Inline text, without a `<p>`. */
export function NoAdministrators() {
  return (
    <>
      This installation has no administrators yet. If you run it, set <code>ADMIN_EMAILS</code> to your address and
      restart it: <TextLink href="/docs/people#administrators">People</TextLink>.
    </>
  );
}

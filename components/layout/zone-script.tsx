import { ZONE_COOKIE } from "./times.ts";

/**
 * Has a page show times in the browser's zone: stores the zone in a cookie and loads the page once more when the server did not
 * know it (`known`). Without scripts or cookies the page stays in UTC.
 */
export function ZoneScript({ known, nonce }: { known: string | undefined; nonce: string | undefined }) {
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the text is ours
      dangerouslySetInnerHTML={{ __html: scriptOf(known ?? "UTC") }}
    />
  );
}

const YEAR_S = 31_536_000;

/** `shown` is an IANA name, so it needs no escaping beyond JSON. */
const scriptOf = (shown: string) =>
  `(()=>{const z=Intl.DateTimeFormat().resolvedOptions().timeZone,c=${JSON.stringify(`${ZONE_COOKIE}=`)}+z;` +
  `if(!z||z===${JSON.stringify(shown)})return;` +
  `document.cookie=c+"; Path=/; Max-Age=${YEAR_S}; SameSite=Lax"+(location.protocol==="https:"?"; Secure":"");` +
  `if(document.cookie.split("; ").includes(c))location.reload()})()`;

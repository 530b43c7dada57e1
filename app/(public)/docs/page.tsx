import { docMetadata, findDocPageOrNotFound, showDocPage } from "./docs-page.tsx";

export const metadata = docMetadata(findDocPageOrNotFound("quickstart"));

export default function Quickstart() {
  return showDocPage(findDocPageOrNotFound("quickstart"));
}

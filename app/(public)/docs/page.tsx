import { docMetadata, findDocPage, showDocPage } from "./docs-page.tsx";

export const metadata = docMetadata(findDocPage("quickstart"));

export default function Quickstart() {
  return showDocPage(findDocPage("quickstart"));
}

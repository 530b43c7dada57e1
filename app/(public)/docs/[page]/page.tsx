import { permanentRedirect } from "next/navigation";
import { docMetadata, findDocPageOrNotFound, showDocPage } from "../docs-page.tsx";

type Props = { params: Promise<{ page: string }> };

export async function generateMetadata({ params }: Props) {
  return docMetadata(findDocPageOrNotFound((await params).page));
}

export default async function Doc({ params }: Props) {
  const { page } = await params;
  if (page === "quickstart") permanentRedirect("/docs");
  return showDocPage(findDocPageOrNotFound(page));
}

import { permanentRedirect } from "next/navigation";
import { docMetadata, findDocPage, showDocPage } from "../docs-page.tsx";

type Props = { params: Promise<{ page: string }> };

export async function generateMetadata({ params }: Props) {
  return docMetadata(findDocPage((await params).page));
}

export default async function Doc({ params }: Props) {
  const { page } = await params;
  if (page === "quickstart") permanentRedirect("/docs");
  return showDocPage(findDocPage(page));
}

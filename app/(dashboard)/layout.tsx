import type { Metadata } from "next";
import type { ReactNode } from "react";

// `dashboardPage` renders the title in the body, because it depends on the data of the page.
export const metadata: Metadata = { title: { absolute: "" }, robots: "noindex" };

export default function DashboardLayout({ children }: { children: ReactNode }) {
  return children;
}

import type { ContractDocument } from '../../openapi/document.js';

/**
 * The HTML page around the viewer: title, API key field and downloads. Its URLs are relative, so that it also works
 * below a path prefix of a proxy.
 *
 * @param versions the query of each asset by its name.
 */
export function docsHtml(document: ContractDocument, versions: Readonly<Record<string, string>>): string {
  const { title } = document.info;
  const urlOf = (name: string) => `docs/${name}?${versions[name] ?? ''}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} API reference</title>
<link rel="icon" href="${urlOf('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${urlOf('page.css')}">
<script src="${urlOf('viewer.js')}" defer></script>
<script src="${urlOf('page.js')}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the reference</a>
<div id="reference"></div>
<noscript><p>Without JavaScript, read <a href="openapi.yaml">openapi.yaml</a>.</p></noscript>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** The page at /docs and the script that starts it. Its links are relative, so that it works behind any path. */

export const docsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="color-scheme" content="light dark">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Agent Hub: reference</title>
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
  </head>
  <body>
    <noscript>This page needs JavaScript. The same reference for programs is at <a href="openapi.json">openapi.json</a>.</noscript>
    <div id="reference"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/**
 * Calls go to where the page came from, whatever BASE_URL says. Only what needs no token can be tried here, since tokens
 * are not to be put into web forms (interface.md "Authentication").
 */
export const startScript = `'use strict';
const here = new URL('.', location.href).href;
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
fetch(here + 'openapi.json')
  .then((response) => response.json())
  .then((spec) => {
    const nothing = () => () => null;
    SwaggerUIBundle({
      domNode: document.getElementById('reference'),
      spec: { ...spec, servers: [{ url: here.replace(/\\/$/, '') }] },
      deepLinking: true,
      docExpansion: 'list',
      validatorUrl: null,
      supportedSubmitMethods: ['get'],
      plugins: [() => ({ wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } })],
    });
  });
`;

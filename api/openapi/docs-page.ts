/**
 * The page at /docs and its start script. All links are relative, so the page works behind any path prefix.
 */

export const docsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="color-scheme" content="light dark">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Agent Hub: reference</title>
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
    <style>
      body { margin: 0; }
      .hub { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; max-width: 1460px; margin: auto; padding: 1rem 20px 0; font: 1rem sans-serif; }
      .hub a { color: LinkText; }
    </style>
  </head>
  <body>
    <nav class="hub" aria-label="Agent Hub">
      <a href="./"><strong>Agent Hub</strong></a>
      <a href="skill.md">Guide for agents</a>
      <a href="openapi.json">openapi.json</a>
    </nav>
    <noscript>This page requires JavaScript. The same reference for programs is at <a href="openapi.json">openapi.json</a>.</noscript>
    <div id="reference"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/**
 * Requests go to the page's own origin, whatever BASE_URL says. Only endpoints that need no token can be
 * tried, because tokens do not belong in web forms.
 *
 * Swagger UI keeps only the visible part of 150 or more operations and tags in the page, so that the browser's
 * search and printing miss the rest. `operations` lists them all, as Swagger UI does below 150. Its filter searches the
 * names of groups alone; `opsFilter` searches each operation's method, path, id and summary for every word.
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
    const operations = (_original, { React: { createElement } }) => (props) => {
      const { specSelectors, getComponent } = props;
      const methods = specSelectors.validOperationMethods();
      const Tag = getComponent('OperationTag');
      const Operation = getComponent('OperationContainer', true);
      const listed = (tag) => (op) => {
        const [path, method, specPath] = ['path', 'method', 'specPath'].map((name) => op.get(name));
        const key = method + ' ' + path;
        return methods.includes(method) ? createElement(Operation, { key, op, path, method, specPath, tag }) : null;
      };
      const section = (tagObj, tag) =>
        createElement(
          Tag,
          { ...props, key: tag, tagObj, tag, specUrl: specSelectors.url() },
          createElement(
            'div',
            { className: 'operation-tag-content' },
            tagObj.get('operations').map(listed(tag)).toArray(),
          ),
        );
      return createElement('div', null, specSelectors.taggedOperations().map(section).valueSeq().toArray());
    };
    const opsFilter = (tagged, phrase) => {
      const words = phrase.toLowerCase().split(/\\s+/);
      const isFound = (op) => {
        const text = [op.get('method'), op.get('path'), op.getIn(['operation', 'operationId']), op.getIn(['operation', 'summary'])];
        return words.every((word) => text.join(' ').toLowerCase().includes(word));
      };
      return tagged
        .map((group) => group.update('operations', (operations) => operations.filter(isFound)))
        .filter((group) => group.get('operations').size > 0);
    };
    SwaggerUIBundle({
      domNode: document.getElementById('reference'),
      spec: { ...spec, servers: [{ url: here.replace(/\\/$/, '') }] },
      deepLinking: true,
      docExpansion: 'list',
      filter: true,
      validatorUrl: null,
      supportedSubmitMethods: ['get'],
      plugins: [() => ({ fn: { opsFilter }, wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing, operations } })],
    });
  });
`;

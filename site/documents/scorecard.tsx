/** A scorecard as one self-contained document: no script, no external resource, the site's style inside. */
import { pointsText } from '#evals/rates.ts';
import { renderToString } from 'preact-render-to-string';
import type { ScorecardModel } from '#evals/scorecard/model.ts';
import { Scorecard } from '../parts/scorecard/scorecard.tsx';
import { siteFiles } from '../site-files.ts';
import { visibleText } from '../visible-text.ts';

/** One style element and no style attributes, so that a Content-Security-Policy can allow it by its hash. */
const style = new TextDecoder().decode(siteFiles.style.content);

export function scorecardDocument(model: ScorecardModel): string {
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>
          {model.title} {model.id}: {pointsText(model.score.value)}
        </title>
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <main>
          <h1>{model.title} scorecard</h1>
          <Scorecard model={model} withTexts isPublic={false} guide={null} />
        </main>
      </body>
    </html>,
  );
  return `<!doctype html>\n${visibleText(html)}\n`;
}

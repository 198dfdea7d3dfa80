/** The page: choose, train, watch, keep. */
import { Film, GamePage } from '@emac/pages';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { askedBy, type Choice } from './choices.ts';
import { ChoiceForm } from './choice-form.tsx';
import { Curves } from './curves.tsx';
import { RunList } from './run-list.tsx';
import { catalogue } from './shipped-catalogue.ts';
import { useOffline } from './use-offline.ts';
import { useTrainer } from './use-trainer.ts';

const percent = (part: number | null): string => (part === null ? '–' : `${Math.round(100 * part)} %`);

function Site() {
  const [state, tell, place] = useTrainer();
  const [choice, choose] = useState<Choice | null>(null);
  const { said, isReady, isTraining, progress, run, results, notes, lines, runs, film, game } = state;
  const { before, after } = results;
  const isKept = useOffline(isReady, isTraining);
  return (
    <>
      <header>
        <h1>Train an agent in this tab</h1>
        <p class="soft">
          Everything runs and stays on this machine: the worlds, the model, the training, the run.
        </p>
      </header>
      <main>
        <ChoiceForm
          catalogue={catalogue}
          runs={runs}
          change={choose}
          train={() => tell({ kind: 'train', asked: askedBy(choice!, catalogue), code: choice!.code ?? '' })}
        >
          <button id="train" type="submit" class="first" disabled={!isReady || isTraining}>
            Train
          </button>
          <button type="button" disabled={!isTraining} onClick={() => tell({ kind: 'stop' })}>
            Stop
          </button>
          <button type="button" disabled={run === null} onClick={() => tell({ kind: 'files', folder: run! })}>
            Export the run
          </button>
        </ChoiceForm>
        <section aria-live="polite">
          <p id="state">{said}</p>
          {isTraining && (
            <progress value={progress.done} max={progress.total || 1} aria-label="done of this part" />
          )}
          {(before ?? after) !== null && (
            <p id="result">{`Held-out episodes won: ${percent(before)} before, ${percent(after)} after.`}</p>
          )}
        </section>
        {run !== null && <Curves run={run} lines={lines} />}
        {film !== null && (
          <section id="film" aria-label="Newest episode">
            <h2>Newest episode</h2>
            <Film
              key={film.view.episode}
              films={[{ name: '', view: film.view, frame: (name) => film.pictures.get(name) ?? null }]}
            />
          </section>
        )}
        <RunList
          runs={runs}
          shown={run}
          isBusy={!isReady || isTraining}
          code={choice?.code ?? ''}
          tell={tell}
        />
        <details>
          <summary>What the trainer says</summary>
          <pre tabIndex={0}>{notes.join('\n')}</pre>
        </details>
        <p id="offline" class="soft">
          {isKept ? 'This site is kept in the browser and needs no network any more.' : ''}
        </p>
      </main>
      {game !== null && <GamePage key={game} place={place} />}
    </>
  );
}

render(<Site />, document.body);

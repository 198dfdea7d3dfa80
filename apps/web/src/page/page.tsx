/** The page: choose, train, watch, keep. */
import { GamePage, TeachPage } from '@emac/pages';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { askedBy, choiceWords, collectedBy, type Choice } from './choices.ts';
import { ChoiceForm, formId } from './choice-form.tsx';
import { RunList } from './run-list.tsx';
import { catalogue } from './shipped-catalogue.ts';
import { RunCharts, RunHeadline } from './shown-run.tsx';
import type { TrainerState } from './trainer-state.ts';
import { useOffline } from './use-offline.ts';
import { useTrainer, type Places, type Tell } from './use-trainer.ts';

function Site() {
  const [state, tell, places] = useTrainer();
  const [choice, choose] = useState<Choice | null>(null);
  const [isChoosing, setChoosing] = useState(false);
  const { isReady, isTraining, run, notes, runs, gpu } = state;
  const isKept = useOffline(isReady, isTraining);
  const train = () => {
    const [asked, collecting] = [askedBy(choice!, catalogue), collectedBy(choice!, catalogue)];
    tell({ kind: 'train', asked, collecting, code: choice!.code ?? '' });
    setChoosing(false);
  };
  return (
    <>
      <header>
        <h1>EMAC: train an agent in this tab</h1>
        {run === null && (
          <p class="soft">
            An agent looks at a picture, reads a text and answers with an action. Press <em>Train</em>: one
            learns to act in a small world, and all of it runs and stays on this machine.
          </p>
        )}
      </header>
      <main>
        {run !== null && <RunHeadline state={state} />}
        <Now state={state} tell={tell} />
        <section id="begin" aria-label="What to train">
          <button
            id="train"
            type="submit"
            form={formId}
            class="first"
            disabled={!isReady || isTraining || gpu === 'checking'}
          >
            Train
          </button>
          <p>{choice === null ? '' : choiceWords(choice, catalogue)}</p>
        </section>
        <details
          id="choice"
          open={isChoosing}
          onToggle={({ currentTarget }) => setChoosing(currentTarget.open)}
        >
          <summary>Train something else</summary>
          <ChoiceForm
            catalogue={catalogue}
            runs={runs}
            gpu={gpu}
            checkGpu={() => tell({ kind: 'check-gpu' })}
            change={choose}
            train={train}
            open={() => setChoosing(true)}
          />
        </details>
        <Played state={state} places={places} tell={tell} code={choice?.code ?? ''} />
        {run !== null && <RunCharts state={state} />}
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
    </>
  );
}

interface NowProps {
  readonly state: TrainerState;
  readonly tell: Tell;
}

/** What happens now, and the buttons that change it. */
function Now({ state: { said, refusal, isTraining, progress, run }, tell }: NowProps) {
  return (
    <section aria-label="Now">
      <p id="state" role="status">
        {said}
      </p>
      {refusal !== null && <p role="alert">{refusal}</p>}
      {isTraining && (
        <progress value={progress.done} max={progress.total || 1} aria-label="done of this part" />
      )}
      <div class="buttons">
        {isTraining && (
          <button id="stop" type="button" onClick={() => tell({ kind: 'stop' })}>
            Stop
          </button>
        )}
        {run !== null && (
          <button type="button" onClick={() => tell({ kind: 'files', folder: run })}>
            Export the run
          </button>
        )}
      </div>
    </section>
  );
}

interface PlayedProps extends NowProps {
  readonly places: Places;
  /** the module on the page */
  readonly code: string;
}

const learners = { labels: 'bc', pairs: 'dpo' } as const;

/** The game that is open, or the training that a person teaches. */
function Played({ state: { game, given, isTaught, run }, places, tell, code }: PlayedProps) {
  if (isTaught) return <TeachPage key={run} place={places.training} />;
  if (game === null) return null;
  const learns = (['labels', 'pairs'] as const).filter((what) => given !== null && given[what] > 0);
  const buttons = learns.map((what) => (
    <button key={what} onClick={() => tell({ kind: 'learn-given', folder: game, what, code })}>
      {`Train on ${given![what]} ${given![what] === 1 ? what.slice(0, -1) : what} (${learners[what]})`}
    </button>
  ));
  return <GamePage key={game} place={places.game} beside={buttons} />;
}

render(<Site />, document.body);

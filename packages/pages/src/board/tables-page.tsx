/** A page of tables of text, such as a comparison of policies or a sweep. */
import { Charts } from '../components/charts.tsx';
import { Table } from '../components/table.tsx';
import type { TablesFile, TextCell } from '../data/page-data.ts';

export function TablesPage({ title, tables, notes, pictures, curves }: TablesFile) {
  return (
    <>
      <h1>{title}</h1>
      {tables.map(({ name, head, rows }) => (
        <section>
          <h2>{name}</h2>
          <Table
            label={name}
            columns={head}
            rows={rows.map((row) => row.map((cell) => <Cell cell={cell} />))}
          />
        </section>
      ))}
      {notes.map((note) => (
        <p class="soft">{note}</p>
      ))}
      <Charts runs={curves} />
      {pictures.map((each) => (
        <section>
          <h2>{each.title}</h2>
          <div class="scroll" tabIndex={0} role="region" aria-label={each.title}>
            <img src={each.src} alt={each.title} loading="lazy" />
          </div>
        </section>
      ))}
    </>
  );
}

function Cell({ cell }: { readonly cell: string | TextCell }) {
  return typeof cell === 'string' ? <>{cell}</> : <a href={cell.href}>{cell.text}</a>;
}

/** The reader's colours: canvases are drawn again when they change. */
import { useEffect, useState } from 'preact/hooks';

export function useDark(): boolean {
  const query = matchMedia('(prefers-color-scheme: dark)');
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const changed = () => setDark(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  return isDark;
}

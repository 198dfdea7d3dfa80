/** The service worker, as the page uses it. */
import { useEffect, useRef, useState } from 'preact/hooks';

/** after a reload that did not isolate the page there is no other */
const tried = 'reloaded for threads';

/** Keeps the site for use without network once `isReady`; true when it is kept. Loads the page anew where that gives it threads. */
export function useOffline(isReady: boolean, isTraining: boolean): boolean {
  const [isKept, setKept] = useState(false);
  const isBusy = useRef(false);
  isBusy.current = isTraining;
  useEffect(() => {
    const { serviceWorker } = navigator as Partial<Navigator>;
    if (!isReady || serviceWorker === undefined) return;
    const controlled = (): void => {
      if (serviceWorker.controller === null) return;
      setKept(true);
      if (crossOriginIsolated || isBusy.current || sessionStorage.getItem(tried) !== null) return;
      sessionStorage.setItem(tried, '');
      location.reload();
    };
    serviceWorker.addEventListener('controllerchange', controlled);
    controlled();
    // a browser may refuse; the site then needs its network
    void serviceWorker.register('service-worker.js').catch(() => {});
    return () => serviceWorker.removeEventListener('controllerchange', controlled);
  }, [isReady]);
  return isKept;
}

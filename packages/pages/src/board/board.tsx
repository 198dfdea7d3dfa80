/** The board in a page: reads what it shows from the page itself, or from the server it came from. */
import { render } from 'preact';

render(<main />, document.body);

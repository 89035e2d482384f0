/**
 * Starts Swagger UI on the document of the service that serves this page. Nothing is asked of other hosts: the validator
 * badge is off, and there is no top bar to load another document.
 */

const dark = matchMedia('(prefers-color-scheme: dark)');

function followScheme() {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

/** A follow route answers no request, so instead of a button stands how to open it. */
function followRoutes({ React }) {
  return {
    wrapComponents: {
      execute: (Execute) => (props) => {
        if (props.operation.get('x-message') === undefined) return React.createElement(Execute, props);
        const address = `${location.origin.replace(/^http/, 'ws')}${props.path}`;
        return React.createElement(
          'p',
          { className: 'follow-route' },
          'Open it as a WebSocket: ',
          React.createElement('code', null, address),
        );
      },
    },
  };
}

const TOKEN = 'mcs.token';
const DOCUMENT = document.getElementById('interface').dataset.document;

/** The access token of this tab, the one the inspector uses too. */
function withToken(request) {
  const token = sessionStorage.getItem(TOKEN);
  if (token !== null) request.headers.authorization ??= `Bearer ${token}`;
  return request;
}

/** Asks for a token where the service shows its interface to nobody else. */
function askForToken(response) {
  if (response.status !== 401 || !response.url.endsWith(DOCUMENT)) return response;
  const token = Object.assign(document.createElement('input'), { type: 'password', autocomplete: 'off' });
  const form = document.createElement('form');
  form.className = 'sign-in';
  form.append('Access token, kept in this tab only: ', token, ' ');
  form.append(Object.assign(document.createElement('button'), { textContent: 'Use it' }));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    sessionStorage.setItem(TOKEN, token.value.trim());
    location.reload();
  });
  document.body.prepend(form);
  token.focus();
  return response;
}

followScheme();
dark.addEventListener('change', followScheme);

globalThis.SwaggerUIBundle({
  url: DOCUMENT,
  dom_id: '#interface',
  presets: [globalThis.SwaggerUIBundle.presets.apis],
  plugins: [followRoutes],
  layout: 'BaseLayout',
  requestInterceptor: withToken,
  responseInterceptor: askForToken,
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
});

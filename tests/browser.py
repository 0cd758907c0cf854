# SPDX-License-Identifier: ISC
"""browser.py STEP...: pages in headless Chromium, by its debugging protocol over two pipes.

  open FILE[#FRAGMENT]	load that page, and wait until it is there
  js EXPRESSION		print its value as JSON
  drag X1 Y1 X2 Y2	the mouse, in pixels of the window; the page is scrolled before, by js
  key NAME		ArrowRight, Shift+ArrowRight, Enter, Tab ...
  size WIDTH HEIGHT	of the window
  theme light|dark	what the reader's system prefers
  print			as on paper: prints the number of bytes of the PDF
  shot FILE.png		the window; shot-all FILE.png: the whole page

The status is 1, with a line for each, if a page wrote to the console, threw, broke its policy, or asked for anything but itself;
77 if there is no Chromium that runs here.
"""
import base64, json, os, select, shutil, subprocess, sys, tempfile, time
from urllib.parse import quote, unquote

WAIT = 120		# seconds for one answer: the machine may be busy

class Browser:
    def __init__(self, path, profile):
        down, self.to = os.pipe()
        self.back, up = os.pipe()
        self.to, self.back = [self.high(fd) for fd in (self.to, self.back)]
        down, up = self.high(down), self.high(up)
        def wire():
            os.dup2(down, 3)
            os.dup2(up, 4)
        self.child = subprocess.Popen([path, '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
            '--disable-background-networking', '--disable-component-update', '--remote-debugging-pipe', '--user-data-dir=' + profile,
            'about:blank'], preexec_fn=wire, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(down)
        os.close(up)
        self.buffer, self.number, self.faults, self.page, self.session = b'', 0, [], None, None

    def high(self, fd):
        """A number that the child does not need."""
        import fcntl
        new = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
        os.close(fd)
        return new

    def message(self, limit):
        while b'\0' not in self.buffer:
            left = limit - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise EOFError('no answer')
            part = os.read(self.back, 1 << 20)
            if not part:
                raise EOFError('it ended')
            self.buffer += part
        one, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(one)

    def seen(self, m):
        method, p = m.get('method'), m.get('params', {})
        if method == 'Runtime.consoleAPICalled':
            self.faults.append('console: ' + json.dumps(p['args'])[:300])
        elif method == 'Runtime.exceptionThrown':
            self.faults.append('exception: ' + json.dumps(p['exceptionDetails'])[:600])
        elif method == 'Log.entryAdded':
            self.faults.append('log: ' + p['entry'].get('text', '')[:300])
        elif method == 'Network.requestWillBeSent' and unquote(p['request']['url'].split('#')[0]) != self.page:
            self.faults.append('request: ' + p['request']['url'][:300])

    def call(self, method, **params):
        self.number += 1
        m = {'id': self.number, 'method': method, 'params': params}
        if self.session:
            m['sessionId'] = self.session
        data = json.dumps(m).encode() + b'\0'
        while data:
            data = data[os.write(self.to, data):]
        limit = time.monotonic() + WAIT
        while True:
            m = self.message(limit)
            if m.get('id') == self.number:
                if 'error' in m:
                    raise RuntimeError(method + ': ' + m['error']['message'])
                return m['result']
            self.seen(m)

    def start(self):
        targets = self.call('Target.getTargets')['targetInfos']
        page = next(t for t in targets if t['type'] == 'page')
        self.session = self.call('Target.attachToTarget', targetId=page['targetId'], flatten=True)['sessionId']
        for domain in 'Page', 'Runtime', 'Log', 'Network':
            self.call(domain + '.enable')

    def open(self, name):
        path, mark, fragment = name.partition('#')
        self.page = 'file://' + os.path.abspath(path)
        for url in 'about:blank', quote(self.page, safe='/:') + mark + fragment:	# the same page is loaded again, too
            self.call('Page.navigate', url=url)
            limit = time.monotonic() + WAIT
            while self.js('document.readyState + location.protocol') != 'complete' + url.split(':')[0] + ':':
                if time.monotonic() > limit:
                    raise RuntimeError(url + ': not loaded')
                time.sleep(.01)

    def js(self, text):
        r = self.call('Runtime.evaluate', expression=text, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in r:
            raise RuntimeError(json.dumps(r['exceptionDetails'])[:600])
        return r['result'].get('value')

    def mouse(self, kind, x, y, buttons):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left' if buttons or kind == 'mouseReleased' else 'none',
            buttons=buttons, clickCount=1)

    def drag(self, x1, y1, x2, y2):
        self.mouse('mouseMoved', x1, y1, 0)
        self.mouse('mousePressed', x1, y1, 1)
        if (x1, y1) != (x2, y2):
            self.mouse('mouseMoved', (x1 + x2) / 2, (y1 + y2) / 2, 1)
            self.mouse('mouseMoved', x2, y2, 1)
        self.mouse('mouseReleased', x2, y2, 0)

    def key(self, name):
        shift = name.startswith('Shift+')
        key = name.removeprefix('Shift+')
        p = dict(key=key, code=key, modifiers=8 if shift else 0, windowsVirtualKeyCode={'Enter': 13, 'Tab': 9}.get(key, 0))
        if key == 'Enter':
            p['text'] = '\r'
        self.call('Input.dispatchKeyEvent', type='keyDown', **p)
        self.call('Input.dispatchKeyEvent', type='keyUp', **p)

    def shot(self, path, whole):
        with open(path, 'wb') as f:
            f.write(base64.b64decode(self.call('Page.captureScreenshot', format='png', captureBeyondViewport=whole)['data']))

    def steps(self, words):
        words = iter(words)
        for step in words:
            if step == 'open':
                self.open(next(words))
            elif step == 'js':
                print(json.dumps(self.js(next(words)), ensure_ascii=False), flush=True)
            elif step == 'drag':
                self.drag(*[float(next(words)) for _ in range(4)])
            elif step == 'key':
                self.key(next(words))
            elif step == 'size':
                w, h = int(next(words)), int(next(words))
                self.call('Emulation.setDeviceMetricsOverride', width=w, height=h, deviceScaleFactor=1, mobile=False)
            elif step == 'theme':
                self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': next(words)}])
            elif step == 'print':
                print(len(base64.b64decode(self.call('Page.printToPDF')['data'])))
            elif step in ('shot', 'shot-all'):
                self.shot(next(words), step == 'shot-all')
            else:
                raise SystemExit('browser.py: no step ' + step)

def main():
    path = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
    if not path:
        return 77
    profile = tempfile.mkdtemp(prefix='browser.')
    b = Browser(path, profile)
    try:
        try:
            b.start()
        except (EOFError, OSError):
            return 77
        b.steps(sys.argv[1:])
        b.js('0')			# what was on its way has come
        for fault in b.faults:
            print(fault, file=sys.stderr)
        return 1 if b.faults else 0
    finally:
        b.child.terminate()
        try:
            b.child.wait(20)
        except subprocess.TimeoutExpired:
            b.child.kill()
            b.child.wait()
        shutil.rmtree(profile, ignore_errors=True)

sys.exit(main())

//! Headless Chromium, driven over the WebDriver protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A browser with one window.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser. It needs Debian's chromium and chromium-driver, which `scripts/test` installs.
    pub fn start() -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is installed (scripts/test installs it)");
        let lines = BufReader::new(driver.stdout.take().expect("stdout is piped")).lines();
        let port = lines
            .map_while(Result::ok)
            .find_map(|line| line.split("started successfully on port ").nth(1)?.trim_end_matches('.').parse().ok())
            .expect("chromedriver prints its port");
        let profile = tempfile::tempdir().expect("a temporary directory");
        let mut browser = Self { driver, port, session: String::new(), _profile: profile };
        let arguments = json!([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,2000",
            format!("--user-data-dir={}", browser._profile.path().display()),
        ]);
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let session = browser.call("POST", "/session", Some(&wanted));
        browser.session = session["sessionId"].as_str().expect("a session").to_owned();
        // Discards the requests of the browser's own start page.
        browser.open("about:blank");
        browser.requests();
        browser
    }

    /// Opens an address.
    pub fn open(&self, address: &str) {
        self.session("POST", "/url", Some(&json!({"url": address})));
    }

    /// Runs a script in the page and returns its result.
    pub fn script(&self, script: &str) -> Value {
        self.session("POST", "/execute/sync", Some(&json!({"script": script, "args": []})))
    }

    /// Clicks on the first element that matches the selector.
    pub fn click(&self, selector: &str) {
        let found = self.session("POST", "/element", Some(&json!({"using": "css selector", "value": selector})));
        let id = found.as_object().and_then(|object| object.values().next()?.as_str()).expect("an element").to_owned();
        self.session("POST", &format!("/element/{id}/click"), Some(&json!({})));
    }

    /// The console messages since the last call: errors and warnings from scripts and page loads.
    pub fn console(&self) -> Vec<String> {
        let log = self.session("POST", "/se/log", Some(&json!({"type": "browser"})));
        log.as_array().into_iter().flatten().map(|entry| entry["message"].to_string()).collect()
    }

    /// The URLs that pages requested since the last call.
    pub fn requests(&self) -> Vec<String> {
        let log = self.session("POST", "/se/log", Some(&json!({"type": "performance"})));
        let address = |entry: &Value| {
            let event: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let message = &event["message"];
            let sent = message["method"] == "Network.requestWillBeSent";
            sent.then(|| message["params"]["request"]["url"].as_str().map(str::to_owned))?
        };
        log.as_array().into_iter().flatten().filter_map(address).collect()
    }

    fn session(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        self.call(method, &format!("/session/{}{path}", self.session), body)
    }

    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let value = self.request(method, path, body).expect("chromedriver answers");
        assert!(value.get("error").is_none(), "{method} {path}: {value}");
        value
    }

    /// Sends one request and reads the reply. The protocol needs nothing else of HTTP.
    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> std::io::Result<Value> {
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )?;
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().map_err(std::io::Error::other)?;
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut reply = vec![0; length];
        reader.read_exact(&mut reply)?;
        let reply: Value = serde_json::from_slice(&reply)?;
        Ok(reply["value"].clone())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Closes the browser itself; killing only the driver would leave it running.
        let _ = self.request("DELETE", &format!("/session/{}", self.session), None);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

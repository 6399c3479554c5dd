// pykc.h from Rust's extern "C": compiles a kernel, launches it on the CPU device, and reads an error.
use std::ffi::{c_char, c_void, CStr, CString};
use std::ptr::null_mut;

const F32: i32 = 11;

#[repr(C)]
struct LaunchConfig {
    size: usize,
    grid: [i64; 3],
    block: [i64; 3],
    shared_bytes: i64,
    stream: *const c_void,
}

#[repr(C)]
union Value {
    f32: f32,
    array: *const c_void,
    bits: u64,
}

#[repr(C)]
struct Argument {
    kind: i32,
    type_: i32,
    value: Value,
}

type Handle = *mut c_void;

#[link(name = "pykc")]
extern "C" {
    fn pykc_version() -> *const c_char;
    fn pykc_error_code(error: Handle) -> i32;
    fn pykc_error_text(error: Handle) -> *const c_char;
    fn pykc_error_free(error: Handle);
    fn pykc_device_open(name: *const c_char, device: *mut Handle) -> Handle;
    fn pykc_device_free(device: Handle);
    fn pykc_source_module_load(
        device: Handle, source: *const c_char, length: usize, file_name: *const c_char, options: *const c_void,
        module: *mut Handle,
    ) -> Handle;
    fn pykc_source_module_kernel(module: Handle, name: *const c_char, kernel: *mut Handle) -> Handle;
    fn pykc_source_module_free(module: Handle);
    fn pykc_generic_kernel_launch(
        kernel: Handle, config: *const LaunchConfig, arguments: *const Argument, argument_count: usize,
    ) -> Handle;
    fn pykc_generic_kernel_free(kernel: Handle);
    fn pykc_launch_config_init(config: *mut LaunchConfig, size: usize);
    fn pykc_array_from_host(
        device: Handle, type_: i32, rank: i32, shape: *const i64, elements: *const c_void, array: *mut Handle,
    ) -> Handle;
    fn pykc_array_copy_to_host(array: Handle, stream: Handle, elements: *mut c_void, byte_count: usize) -> Handle;
    fn pykc_array_free(array: Handle);
}

/// The error as Rust has it.
fn check(error: Handle) -> Result<(), (i32, String)> {
    if error.is_null() {
        return Ok(());
    }
    unsafe {
        let text = CStr::from_ptr(pykc_error_text(error)).to_string_lossy().into_owned();
        let code = pykc_error_code(error);
        pykc_error_free(error);
        Err((code, text))
    }
}

const SOURCE: &str = "
from pykc import *

@kernel
def axpy(a, x, y):
    i = grid(1)
    if i < len(x):
        y[i] += a * x[i]
";

fn array(device: Handle, values: &[f32]) -> Result<Handle, (i32, String)> {
    let (mut made, shape) = (null_mut(), values.len() as i64);
    check(unsafe { pykc_array_from_host(device, F32, 1, &shape, values.as_ptr().cast(), &mut made) })?;
    Ok(made)
}

fn run() -> Result<(), (i32, String)> {
    let (mut device, mut module, mut axpy) = (null_mut(), null_mut(), null_mut());
    let (cpu, name, file) = (c"cpu", c"axpy", CString::new("axpy.pyk").unwrap());
    unsafe {
        check(pykc_device_open(cpu.as_ptr(), &mut device))?;
        check(pykc_source_module_load(
            device, SOURCE.as_ptr().cast(), SOURCE.len(), file.as_ptr(), null_mut(), &mut module))?;
        check(pykc_source_module_kernel(module, name.as_ptr(), &mut axpy))?;
        let mut values: Vec<f32> = (0..100).map(|i| i as f32).collect();
        let (x, y) = (array(device, &values)?, array(device, &values)?);
        let mut config = std::mem::zeroed::<LaunchConfig>();
        pykc_launch_config_init(&mut config, size_of::<LaunchConfig>());
        (config.grid[0], config.block[0]) = (4, 32);
        let mut arguments = [
            Argument { kind: 0, type_: F32, value: Value { f32: 0.5 } },
            Argument { kind: 1, type_: 0, value: Value { array: x } },
            Argument { kind: 1, type_: 0, value: Value { array: y } },
        ];
        check(pykc_generic_kernel_launch(axpy, &config, arguments.as_ptr(), 3))?;
        check(pykc_array_copy_to_host(y, null_mut(), values.as_mut_ptr().cast(), 4 * values.len()))?;
        assert!(values.iter().enumerate().all(|(i, &value)| value == 1.5 * i as f32));

        arguments[0] = Argument { kind: 1, type_: 0, value: Value { array: x } };
        let (code, text) = check(pykc_generic_kernel_launch(axpy, &config, arguments.as_ptr(), 3)).unwrap_err();
        assert!(code == 1 && text.contains("axpy.pyk:8"), "{code}: {text}");
        for array in [x, y] {
            pykc_array_free(array);
        }
        pykc_generic_kernel_free(axpy);
        pykc_source_module_free(module);
        pykc_device_free(device);
        println!("Rust: pykc {}", CStr::from_ptr(pykc_version()).to_string_lossy());
    }
    Ok(())
}

fn main() {
    run().unwrap();
}

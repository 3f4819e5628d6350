"""Arrays in files, between cells and NumPy, and in the hands of other libraries."""

import numpy as np


def test_numpy_reads_what_a_cell_saves(kernel, tmp_path):
    folder = str(tmp_path)
    kernel.check(f'gpu::save("{folder}/a", &gpu::arange(6.0).reshape((2, 3)));')
    kernel.check(f'gpu::host::save("{folder}/b.npy", &array![1u8, 2, 3]);')
    kernel.check(f'gpu::savez("{folder}/c", [("mask", &gpu::array(&[true, false])), ("steps", &vec![1i64, 2])]);')
    assert np.array_equal(np.load(tmp_path / "a.npy"), np.arange(6.0).reshape(2, 3))
    assert np.array_equal(np.load(tmp_path / "b.npy"), np.uint8([1, 2, 3]))
    archive = np.load(tmp_path / "c.npz")
    assert archive["mask"].tolist() == [True, False] and archive["steps"].tolist() == [1, 2]


def test_a_cell_reads_what_numpy_saves(kernel, tmp_path):
    folder = str(tmp_path)
    np.save(tmp_path / "a.npy", np.arange(12, dtype=">f4").reshape(3, 4).T)
    np.savez_compressed(tmp_path / "b.npz", x=np.arange(3), y=np.zeros((2, 2), "float32"))
    kernel.check(f'let a = gpu::load::<f32>("{folder}/a.npy");')
    assert kernel.check("(a.shape().to_vec(), a.get(&[3, 2]))").value == "([4, 3], 11.0)"
    kernel.check(f'let archive = gpu::load_npz("{folder}/b.npz");')
    assert kernel.check('(archive.get::<i64>("x").sum(), archive.shape("y").to_vec())').value == "(3, [2, 2])"
    assert "y  f32  [2, 2]" in kernel.check("archive").value


def test_a_file_of_another_type_is_an_error_that_says_which(kernel, tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3))
    text = kernel.run(f'gpu::load::<f32>("{tmp_path}/a.npy")').error_text
    assert "a.npy holds elements of i64, not f32; use `load::<i64>(…)`" in text, text


def test_pictures_are_arrays(kernel, tmp_path):
    kernel.check(f'gpu::imsave("{tmp_path}/a.png", &gpu::full((3, 5, 3), 200u8));')
    assert kernel.check(f'gpu::imread("{tmp_path}/a.png").shape().to_vec()').value == "[3, 5, 3]"


def test_a_host_array_is_given_away_and_comes_back(kernel):
    kernel.check("let given = array![[1.0, 2.0], [3.0, 4.0]];\nlet mut taken = gpu::asarray(given);\ntaken += 1.0;")
    assert kernel.check("taken.into_host().sum()").value == "14.0"


def test_a_tensor_of_dlpack_shares_the_elements_and_lives_as_a_variable(kernel):
    kernel.check("let a = gpu::array(&[1.0, 2.0, 3.0]);\nlet tensor = a.to_dlpack();")
    kernel.check("let mut taken = unsafe { gpu::DeviceArray::<f64>::from_dlpack(tensor) };\ntaken += 1.0;")
    assert kernel.check("(a.sum(), a.data_ptr() == taken.data_ptr())").value == "(9.0, true)"
    text = kernel.run("unsafe { gpu::DeviceArray::<f32>::from_dlpack(a.to_dlpack()) }").error_text
    assert "elements are f64, not f32; use `DeviceArray::<f64>::from_dlpack`" in text, text
